# SPDX-License-Identifier: Apache-2.0
"""Networks of transformers and timm that are one or two years old, with random weights: functions that return modules, for
`pytorch:` models as they are, and for export_recent.py. INPUTS has the inputs of each, of the first batch size 2."""
import torch

TOKENS = {"ids": ("i64", ["batch", 16], (0, 199))}
IMAGES = {"x": ("f32", ["batch", 3, 64, 64], None)}
SMALL = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
WORDS = {**SMALL, "vocab_size": 200, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
SHARED_KEYS = {**WORDS, "num_key_value_heads": 2, "head_dim": 16}


class OfTokens(torch.nn.Module):
    def __init__(self, net, output):
        super().__init__()
        self.net, self.output = net, output

    def forward(self, ids):
        return getattr(self.net(input_ids=ids, use_cache=False) if self.output == "logits" else self.net(input_ids=ids),
                       self.output)


class OfImages(torch.nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        return self.net(pixel_values=x).last_hidden_state


def decoder(name, **more):
    import transformers
    config = getattr(transformers, f"{name}Config")(**SHARED_KEYS, **more, attn_implementation="eager")
    kind = {"Gemma3Text": "Gemma3ForCausalLM"}.get(name, f"{name}ForCausalLM")
    return OfTokens(getattr(transformers, kind)(config).eval(), "logits")


def qwen3():
    return decoder("Qwen3")


def gemma3():
    return decoder("Gemma3Text")


def smollm3():
    return decoder("SmolLM3")


def olmo2():
    import transformers
    config = transformers.Olmo2Config(**WORDS, num_key_value_heads=2, attn_implementation="eager")
    return OfTokens(transformers.Olmo2ForCausalLM(config).eval(), "logits")


def modernbert():
    import transformers
    config = transformers.ModernBertConfig(**WORDS, cls_token_id=1, sep_token_id=2, attn_implementation="eager")
    return OfTokens(transformers.ModernBertModel(config).eval(), "last_hidden_state")


def dinov3():
    import transformers
    config = transformers.DINOv3ViTConfig(**SMALL, image_size=64, patch_size=16, attn_implementation="eager")
    return OfImages(transformers.DINOv3ViTModel(config).eval())


def siglip2():
    import transformers
    config = transformers.SiglipVisionConfig(**SMALL, image_size=64, patch_size=16, attn_implementation="eager")
    return OfImages(transformers.SiglipVisionModel(config).eval())


def of_timm(name):
    import timm
    return timm.create_model(name, pretrained=False, num_classes=10).eval()


def mobilenetv4():
    return of_timm("mobilenetv4_conv_small")


def fastvit():
    return of_timm("fastvit_t8")


def repvit():
    return of_timm("repvit_m0_9")


INPUTS = {each: TOKENS for each in (qwen3, gemma3, smollm3, olmo2, modernbert)} | \
         {each: IMAGES for each in (dinov3, siglip2, mobilenetv4, fastvit, repvit)}
