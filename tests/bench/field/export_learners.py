# SPDX-License-Identifier: Apache-2.0
"""Models of scikit-learn, LightGBM and XGBoost, each fitted to made-up rows and written to a path by a function."""
import lightgbm
import numpy as np
import onnx
import skl2onnx
import xgboost
from onnxmltools import convert_lightgbm, convert_xgboost
from onnxmltools.convert.common.data_types import FloatTensorType
from skl2onnx.common.data_types import DoubleTensorType
from skl2onnx.common.data_types import FloatTensorType as SklFloat
from sklearn import (decomposition, ensemble, linear_model, naive_bayes, neighbors, neural_network, pipeline, preprocessing,
                     svm)

RANDOM = np.random.default_rng(1)
ROWS = RANDOM.standard_normal((200, 8)).astype(np.float32)
CLASSES = (ROWS[:, 0] > 0).astype(np.int64) + (ROWS[:, 1] > 0.5)
VALUES = ROWS[:, 0] * 2 + ROWS[:, 2] ** 2


def of_sklearn(path, model, kind=SklFloat, **options):
    target = VALUES if hasattr(model, "predict") and not hasattr(model, "classes_") and _is_regressor(model) else CLASSES
    model.fit(ROWS, target)
    onnx.save(skl2onnx.to_onnx(model, initial_types=[("X", kind([None, 8]))], target_opset={"": 15, "ai.onnx.ml": 3},
                               options={id(model): options} if options else None), path)


def _is_regressor(model):
    return type(model).__name__.endswith(("Regressor", "Ridge", "Lasso"))


def skl_gbr_double(path):
    of_sklearn(path, ensemble.GradientBoostingRegressor(n_estimators=20), DoubleTensorType)


def skl_logreg_default(path):
    of_sklearn(path, linear_model.LogisticRegression())


def skl_logreg_nozip(path):
    of_sklearn(path, linear_model.LogisticRegression(), zipmap=False)


def skl_mlp(path):
    of_sklearn(path, neural_network.MLPClassifier((32,), max_iter=50), zipmap=False)


def skl_rf(path):
    of_sklearn(path, ensemble.RandomForestClassifier(20), zipmap=False)


def skl_svc(path):
    of_sklearn(path, svm.SVC(probability=True), zipmap=False)


def lgbm(path, zipmap=False):
    model = lightgbm.LGBMClassifier(n_estimators=10, verbose=-1).fit(ROWS, CLASSES)
    onnx.save(convert_lightgbm(model, initial_types=[("X", FloatTensorType([None, 8]))], zipmap=zipmap, target_opset=15), path)


def lgbm_zip(path):
    lgbm(path, zipmap=True)


def xgb(path):
    model = xgboost.XGBClassifier(n_estimators=10).fit(ROWS, CLASSES)
    onnx.save(convert_xgboost(model, initial_types=[("X", FloatTensorType([None, 8]))], target_opset=15), path)


FIRST = (lgbm, lgbm_zip, skl_gbr_double, skl_logreg_default, skl_logreg_nozip, skl_mlp, skl_rf, skl_svc, xgb)


def skl_scaler_pca_logreg(path):
    of_sklearn(path, pipeline.make_pipeline(preprocessing.StandardScaler(), decomposition.PCA(4),
                                            linear_model.LogisticRegression()), zipmap=False)


def skl_ridge(path):
    of_sklearn(path, linear_model.Ridge())


def skl_extra_trees(path):
    of_sklearn(path, ensemble.ExtraTreesRegressor(20))


def skl_knn(path):
    of_sklearn(path, neighbors.KNeighborsClassifier(5), zipmap=False)


def skl_bayes(path):
    of_sklearn(path, naive_bayes.GaussianNB(), zipmap=False)


def lgbm_regressor(path):
    model = lightgbm.LGBMRegressor(n_estimators=10, verbose=-1).fit(ROWS, VALUES)
    onnx.save(convert_lightgbm(model, initial_types=[("X", FloatTensorType([None, 8]))], target_opset=15), path)


def xgb_regressor(path):
    model = xgboost.XGBRegressor(n_estimators=10).fit(ROWS, VALUES)
    onnx.save(convert_xgboost(model, initial_types=[("X", FloatTensorType([None, 8]))], target_opset=15), path)


SECOND = (skl_scaler_pca_logreg, skl_ridge, skl_extra_trees, skl_knn, skl_bayes, lgbm_regressor, xgb_regressor)
